// SPDX-License-Identifier: Apache-2.0

// The program of critest's image for no_new_privs: set-user-ID root, it says who it became.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Printf("Effective uid: %d\n", os.Geteuid())
}
