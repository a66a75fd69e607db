//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/internal/waittest"
)

// service is what the example for Compose says of one.
type service struct {
	Image       string            `yaml:"image"`
	Command     []string          `yaml:"command"`
	Environment map[string]string `yaml:"environment"`
	Volumes     []string          `yaml:"volumes"`
	WorkingDir  string            `yaml:"working_dir"`
}

// The example for Compose, with processes in place of containers: the same
// files, commands and variables, but for the names of machines and the paths
// within containers. An agent asks, and the page has the question.
func TestComposeExample(t *testing.T) {
	text, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]service `yaml:"services"`
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	here := t.TempDir()
	// As at its head, but for the machines, which are one.
	line := regexp.MustCompile(`(?m)^#\s+mcp-askuser (desk init .*)$`).FindSubmatch(text)
	if line == nil {
		t.Fatal("it does not say how to begin")
	}
	ports := sharedtest.FreePorts(t, 2)
	nodePort, pagePort := strconv.Itoa(ports[0]), strconv.Itoa(ports[1])
	cmd := program(t, here, append(strings.Fields(string(line[1])), "--listen", "127.0.0.1:"+nodePort)...)
	cmd.Dir = here
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s, %v", line[1], out, err)
	}
	machines := strings.NewReplacer("4222", nodePort, "8443", pagePort, "0.0.0.0", "127.0.0.1")
	// as is a service as a process.
	as := func(s service) *exec.Cmd {
		var paths []string
		for _, v := range s.Volumes {
			parts := strings.Split(v, ":")
			from := filepath.Join(here, parts[0])
			if _, err := os.Stat(from); err != nil {
				t.Errorf("the volume %s: %v", v, err)
			}
			paths = append(paths, parts[1], from)
		}
		inside := strings.NewReplacer(paths...)
		var args []string
		for _, arg := range s.Command {
			args = append(args, inside.Replace(machines.Replace(arg)))
		}
		var cmd *exec.Cmd
		if strings.HasPrefix(s.Image, "nats:") {
			cmd = exec.Command(sharedtest.Server(t), append(args, "-l", "log")...)
		} else {
			cmd = program(t, t.TempDir(), args...)
		}
		cmd.Dir = inside.Replace(s.WorkingDir)
		for name, value := range s.Environment {
			if name != "MCP_ASKUSER_DIR" { // of its own, like the machine
				cmd.Env = append(cmd.Env, name+"="+inside.Replace(machines.Replace(value)))
			}
		}
		return cmd
	}
	node := as(compose.Services["nats"])
	err = node.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Process.Kill(); _ = node.Wait() })
	if out, err := as(compose.Services["setup"]).CombinedOutput(); err != nil {
		t.Fatalf("setup: %s, %v", out, err)
	}
	page := startWeb(t, as(compose.Services["page"]))
	agent := []string{"--desk", machines.Replace(compose.Services["page"].Environment["MCP_ASKUSER_DESK"]),
		"--desk-creds", nodes.Creds(filepath.Join(here, "desk"), nodes.Agent, "bot")}
	w := dial(t, t.TempDir(), append([]string{"serve", "--surface", "inbox"}, agent...)...)
	w.hello("test", `{}`)
	w.send(goOn, 1, 1)
	w.waiting()
	var status int
	var answer string
	if !waittest.Until(patience, func() bool {
		var open []struct{ ID string }
		status, answer = page.call(t, http.MethodGet, "/api/questions", "")
		if status != http.StatusOK || json.Unmarshal([]byte(answer), &open) != nil {
			t.Fatalf("%d %s", status, answer)
		}
		return len(open) > 0
	}) {
		t.Fatalf("%d %s", status, answer)
	}
}

// The example for Kubernetes consists of documents that name their kind.
func TestKubernetesExample(t *testing.T) {
	data, err := os.ReadFile("../../deploy/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	for n := 0; ; n++ {
		var document map[string]any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) && n > 0 {
			return
		}
		if err != nil || document["kind"] == nil || document["apiVersion"] == nil {
			t.Fatalf("document %d: %v, %v", n+1, document, err)
		}
	}
}
