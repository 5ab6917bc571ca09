//go:build tools

package languageyaml

import _ "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"
