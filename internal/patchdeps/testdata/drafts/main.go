// Command drafts says what the schemas of each draft of JSON Schema accept.
package main

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	for _, draft := range []string{
		"http://json-schema.org/draft-04/schema",
		"http://json-schema.org/draft-06/schema",
		"http://json-schema.org/draft-07/schema",
		"https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft/2020-12/schema",
	} {
		for _, schema := range []string{
			`{"$schema": "` + draft + `", "type": "integer", "minimum": 3}`,
			`{"$schema": "` + draft + `", "type": "nonsense"}`, // what the meta-schema is for
			`{"$schema": "` + draft + `", "minLength": -1}`,
			`{"$ref": "` + draft + `"}`,
			`{"$schema": "` + draft + `", "type": "string", "format": "date-time"}`,
		} {
			fmt.Println(schema)
			for _, value := range []string{`5`, `1`, `{"type": "object"}`, `{"type": 7}`, `"x"`, `"2026-11-22T00:00:00Z"`} {
				fmt.Println("\t", value, verdict(schema, value))
			}
		}
	}
}

func verdict(schema, value string) string {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return err.Error()
	}
	if err := c.AddResource("s.json", s); err != nil {
		return err.Error()
	}
	compiled, err := c.Compile("s.json")
	if err != nil {
		return err.Error()
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		return err.Error()
	}
	if err := compiled.Validate(v); err != nil {
		return err.Error()
	}
	return "is valid"
}
