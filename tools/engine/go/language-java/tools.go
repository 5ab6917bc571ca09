//go:build tools

package languagejava

import _ "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java"
