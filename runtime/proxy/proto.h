/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages between the supervisor and the HTTP proxy of a container, over one SOCK_SEQPACKET
 * pair. The proxy makes sockets and cannot connect them: the supervisor judges the destination and
 * connects them. When one of the two ends, the other reads end of file.
 *
 *   sup   -> (bytes)    the value of each credential that is a variable, in the order of the plan
 *   proxy -> READY      it has what it needs and is confined; the certificate of its authority
 *                       where it signs for one; or FAILED
 *   sup   -> OPEN       a connection that the workload has made, and the number of it
 *   proxy -> CONNECT    a socket for the request's way out
 *   sup   -> CONNECTED  connect(2) has begun, or the errno of its failure
 *   proxy -> CLOSED     the number is free
 *   proxy -> AUDIT      what was refused: a line of the audit log
 */
#ifndef SANDLOCK_PROXY_PROTO_H
#define SANDLOCK_PROXY_PROTO_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"

/* Descriptors that the proxy is started with, besides its standard streams. */
#define PROXY_LINK_FD 3
#define PROXY_PLAN_FD 4

enum proxy_msg_type {
	PROXY_READY = 1,
	PROXY_FAILED,
	PROXY_OPEN,
	PROXY_CONNECT,
	PROXY_CONNECTED,
	PROXY_CLOSED,
	PROXY_AUDIT,
};

/* The CA's certificate as PEM. One that the proxy makes has about 700 bytes; a given one may be
 * longer, with an RSA key and many names. */
#define PROXY_PEM_MAX 16384

/* The longest value of a credential, with a line end. Keys of services have some hundred bytes. */
#define PROXY_SECRET_MAX 65536

/* The address to which the workload wanted to connect. */
struct proxy_dest {
	uint8_t addr[16]; /* network order; IPv4: the first four */
	uint16_t port;    /* host order */
	uint8_t v6;
};

/* The parts of a line of the audit log; strings end with NUL and are cut where they are longer. */
struct proxy_audit {
	char method[32];
	char host[256];
	char path[512]; /* without the query */
	char rule[512]; /* the text of the rule, or the class of the refusal */
};

struct proxy_msg {
	uint32_t type;
	uint32_t id; /* of the connection */
	union {
		struct proxy_dest dest; /* OPEN */
		int32_t error;          /* CONNECTED: 0, EINPROGRESS or another errno */
		struct proxy_audit audit;
		struct sl_err err;               /* FAILED */
		struct {                         /* READY */
			char name[16];           /* as of openssl-rehash(1); "": no CA */
			char pem[PROXY_PEM_MAX]; /* ends with NUL */
		} authority;
	};
};

/* The length of a message that ends with this member. */
#define PROXY_MSG_LEN(member)                                                                      \
	(offsetof(struct proxy_msg, member) + sizeof(((struct proxy_msg *)0)->member))

#endif
