module conformance

go 1.21

require (
	github.com/google/uuid v1.3.0
	github.com/hashicorp/errwrap v1.0.0
	github.com/hashicorp/go-multierror v1.1.1
	github.com/mndrix/tap-go v0.0.0-20171203230836-629fa407e90b
	github.com/moby/sys/capability v0.4.0
	github.com/moby/sys/mountinfo v0.7.2
	github.com/mrunalp/fileutils v0.5.0
	github.com/opencontainers/runtime-spec v1.3.0
	github.com/opencontainers/runtime-tools v0.9.1-0.20251114084447-edf4cb3d2116
	github.com/opencontainers/selinux v1.9.1
	github.com/sirupsen/logrus v1.8.1
	github.com/urfave/cli v1.19.1
	golang.org/x/sys v0.1.0
	gopkg.in/yaml.v2 v2.4.0
)
