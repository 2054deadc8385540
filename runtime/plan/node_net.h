/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/plan: parses the keys of the node policy for the network and for annotations.
 */
#ifndef SANDLOCK_PLAN_NODE_NET_H
#define SANDLOCK_PLAN_NODE_NET_H

#include "runtime/base/json_read.h"
#include "runtime/plan/node.h"

int node_parse_net_deny(const struct at *at, struct node_policy *n);
int node_parse_net_ceiling(const struct at *at, struct node_policy *n);
int node_parse_net_default(const struct at *at, struct node_policy *n);
int node_parse_namespace(const struct at *at, struct node_policy *n);
int node_parse_unnamed(const struct at *at, struct node_policy *n);
int node_parse_port_remap(const struct at *at, struct node_policy *n);
int node_parse_port_range(const struct at *at, struct node_policy *n);
int node_parse_annotations(const struct at *at, struct node_policy *n);

#endif
