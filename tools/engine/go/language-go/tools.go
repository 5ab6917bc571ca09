//go:build tools

package languagego

import _ "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go"
