// SPDX-License-Identifier: Apache-2.0

// What a Go program does with the network, with Go's own resolver (built without cgo). Each
// argument is one thing to do, each prints one line.
//
//	http(s)://…          GET: the body
//	tcp/HOST:PORT        net.Dial: open, or the errno and whether the best of ten refusals
//	                     took less than 5 ms
//	udp/HOST:PORT        the same, and the answer to a datagram
//	name/SERVER:PORT/N   looks the name N up at the server
//	interfaces           net.Interfaces
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
	"strings"
	"syscall"
	"time"
)

const bound = 5 * time.Second

func explain(err error) string {
	// The resolver keeps the text of what it met only.
	if errors.Is(err, syscall.ECONNREFUSED) || strings.HasSuffix(err.Error(), "connection refused") {
		return "ECONNREFUSED"
	}
	return err.Error()
}

func dial(network, address string) string {
	best := bound
	var refused string
	for i := 0; i < 10; i++ {
		begin := time.Now()
		c, err := net.DialTimeout(network, address, bound)
		if err != nil {
			refused = explain(err)
			if d := time.Since(begin); d < best {
				best = d
			}
			continue
		}
		defer c.Close()
		if network == "tcp" {
			return "open"
		}
		c.SetDeadline(time.Now().Add(bound))
		if _, err = c.Write([]byte("ping")); err != nil {
			return explain(err)
		}
		data := make([]byte, 100)
		n, err := c.Read(data)
		if err != nil {
			return explain(err)
		}
		return strings.TrimSpace(string(data[:n]))
	}
	return fmt.Sprintf("%s %t", refused, best < 5*time.Millisecond)
}

func get(url string) string {
	client := http.Client{Timeout: bound}
	r, err := client.Get(url)
	if err != nil {
		return explain(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return explain(err)
	}
	return strings.TrimSpace(string(body))
}

func lookup(server, name string) string {
	resolver := net.Resolver{PreferGo: true}
	if server != "" {
		resolver.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, server)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	addresses, err := resolver.LookupHost(ctx, name)
	if err != nil {
		return explain(err)
	}
	sort.Strings(addresses)
	return strings.Join(addresses, " ")
}

func interfaces() string {
	all, err := net.Interfaces()
	if err != nil {
		return explain(err)
	}
	for _, i := range all {
		addresses, err := i.Addrs()
		if err != nil {
			return explain(err)
		}
		if i.Name == "lo" && i.Flags&net.FlagLoopback != 0 {
			for _, a := range addresses {
				if a.String() == "127.0.0.1/8" {
					return "lo 127.0.0.1/8"
				}
			}
		}
	}
	return "no lo"
}

func main() {
	for _, arg := range os.Args[1:] {
		part := strings.SplitN(arg, "/", 3)
		switch {
		case strings.HasPrefix(arg, "http://"), strings.HasPrefix(arg, "https://"):
			fmt.Println(get(arg))
		case part[0] == "name":
			fmt.Println(lookup(part[1], part[2]))
		case part[0] == "interfaces":
			fmt.Println(interfaces())
		default:
			fmt.Println(dial(part[0], part[1]))
		}
	}
}
