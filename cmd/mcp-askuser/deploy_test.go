//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
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
	base := freeBase(t)
	begin := strings.Replace(string(line[1]), "nats-1,nats-2,nats-3", "127.0.0.1", 1) + " --port " + strconv.Itoa(base)
	cmd := program(t, here, strings.Fields(begin)...)
	cmd.Dir = here
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s, %v", begin, out, err)
	}
	pagePort := strconv.Itoa(base + 100)
	machines := strings.NewReplacer("nats-1:4222", "127.0.0.1:"+strconv.Itoa(base), "nats-2:4222", "127.0.0.1:"+strconv.Itoa(base+1), "nats-3:4222", "127.0.0.1:"+strconv.Itoa(base+2), "8443", pagePort, "0.0.0.0", "127.0.0.1")
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
			cmd = exec.Command(natstest.Server(t), append(args, "-l", "log")...)
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
	for _, name := range []string{"nats-1", "nats-2", "nats-3"} {
		node := as(compose.Services[name])
		if err := node.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = node.Process.Kill(); _ = node.Wait() })
	}
	if out, err := as(compose.Services["setup"]).CombinedOutput(); err != nil {
		t.Fatalf("setup: %s, %v", out, err)
	}
	page := startWeb(t, as(compose.Services["page"]))
	if page.address.Scheme != "https" {
		t.Errorf("the page is at %s", page.address)
	}
	plan := nodes.Plan{Dir: filepath.Join(here, "desk")}
	agent := []string{"--desk", compose.Services["page"].Environment["MCP_ASKUSER_DESK"], "--desk-ca", plan.CA(), "--desk-creds", plan.Creds("desk", nodes.Agent, "bot")}
	agent[1] = machines.Replace(agent[1])
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

// The other examples are what their readers take them for, and name what there
// is.
func TestDeploymentExamples(t *testing.T) {
	for _, file := range []string{"compose.yaml", "kubernetes.yaml"} {
		data, err := os.ReadFile("../../deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewDecoder(strings.NewReader(string(data)))
		for n := 0; ; n++ {
			var document map[string]any
			if err := decoder.Decode(&document); err != nil {
				if n == 0 {
					t.Errorf("%s: %v", file, err)
				}
				break
			}
			if file == "kubernetes.yaml" && (document["kind"] == nil || document["apiVersion"] == nil) {
				t.Errorf("%s: document %d is none of Kubernetes'", file, n+1)
			}
		}
		for _, found := range regexp.MustCompile(`--[a-z-]+`).FindAllString(string(data), -1) {
			if known := []string{"--dir", "--nodes", "--hosts", "--human", "--agent", "--detach", "--listen", "--port", "--tls-cert", "--tls-key", "--from-file", "---"}; !slices.Contains(known, found) {
				t.Errorf("%s: %s is no flag that is known here", file, found)
			}
		}
	}
	docker, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"FROM scratch", "USER 65532:65532", "CGO_ENABLED=0"} {
		if !strings.Contains(string(docker), line) {
			t.Errorf("the Dockerfile lacks %q", line)
		}
	}
	recipe, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"run ./internal/patchdeps", "-modfile=bin/release.mod -trimpath", `-ldflags="-s -w"`} {
		if !strings.Contains(string(recipe), word) || !strings.Contains(string(docker), word) {
			t.Errorf("the Dockerfile and the Makefile differ in %s", word)
		}
	}
}
