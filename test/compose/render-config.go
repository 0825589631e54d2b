// Renders the configuration template of the Temporal server from the environment, as dockerize does in the official
// image: `default` takes the value first, and a variable that is not set is nil.
package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"
)

func main() {
	environment := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		environment[name] = value
	}
	functions := template.FuncMap{
		"default": func(values ...any) (any, error) {
			for _, value := range values {
				if value != nil {
					return value, nil
				}
			}
			return nil, fmt.Errorf("default: nothing is set")
		},
		"lower": strings.ToLower,
		"split": strings.Split,
		"trim":  strings.TrimSpace,
	}
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		var parsed *template.Template
		parsed, err = template.New("config").Funcs(functions).Parse(string(text))
		if err == nil {
			err = parsed.Execute(os.Stdout, map[string]any{"Env": environment})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
