// Generates the SDK of a schema: sdk-gen <python|go> <schema.json> <folder>. It is what `pulumi package gen-sdk` does,
// without the language hosts of a release, which cannot be built from modules.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blang/semver"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-datachain"

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sdk-gen <python|go> <schema.json> <folder>")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(language, file, folder string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, noOthers{}, schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if len(diagnostics) > 0 {
		return diagnostics
	}
	files, err := filesOf(language, pkg)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func filesOf(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "python":
		return python.GeneratePackage(tool, pkg, nil, noOthers{})
	case "go":
		return golang.GeneratePackage(tool, pkg, nil)
	default:
		return nil, fmt.Errorf("no SDK for %q", language)
	}
}

// The schema names types of no other package.
type noOthers struct{}

var errNoOthers = errors.New("the schema stands alone")

func (noOthers) LoadPackage(string, *semver.Version) (*schema.Package, error) { return nil, errNoOthers }

func (noOthers) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return nil, errNoOthers
}

func (noOthers) LoadPackageReference(string, *semver.Version) (schema.PackageReference, error) {
	return nil, errNoOthers
}

func (noOthers) LoadPackageReferenceV2(
	context.Context, *schema.PackageDescriptor,
) (schema.PackageReference, error) {
	return nil, errNoOthers
}
