package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"mcp-askuser/question"
)

// Namespace keeps a signature for us from counting elsewhere, and the other way round.
const Namespace = "mcp-askuser"

// killAfter is how long ssh-keygen may take to restore the terminal, once it must end.
const killAfter = 100 * time.Millisecond

// SignSSH has ssh-keygen sign a statement with a key. ssh-keygen asks for a passphrase or a
// touch on the controlling terminal, where notice is written first. File is a private key,
// or a public key whose private one an SSH agent holds.
func SignSSH(ctx context.Context, file, notice string, s Statement) (*question.Proof, error) {
	sum, err := s.Sum()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-q", "-Y", "sign", "-n", Namespace, "-f", file) //nolint:gosec // the user's own setting
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, killAfter
	cmd.Stdin = bytes.NewReader(sum)
	var fault bytes.Buffer
	cmd.Stderr = &fault
	if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		defer func() { _ = tty.Close() }()
		// ssh-keygen misses a signal that arrives before it reads; killed, it leaves no echo.
		if found, err := term.GetState(int(tty.Fd())); err == nil {
			defer func() { _ = term.Restore(int(tty.Fd()), found) }()
		}
		_, _ = fmt.Fprintln(tty, notice)
		cmd.Stderr = io.MultiWriter(tty, &fault)
	}
	armored, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ssh-keygen -Y sign -f %s: %w: %s", file, err, strings.TrimSpace(fault.String()))
	}
	sig, err := sshsig.Unarmor(armored)
	if err != nil {
		return nil, fmt.Errorf("the signature of ssh-keygen: %w", err)
	}
	return &question.Proof{Kind: question.SSHProof, Key: ssh.FingerprintSHA256(sig.PublicKey), At: s.At, Signature: armored}, nil
}

func (k *Keys) verifySSH(sum []byte, p *question.Proof) (name string, err error) {
	sig, err := sshsig.Unarmor(p.Signature)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrSignature, err)
	}
	i := slices.IndexFunc(k.Signers, func(s Signer) bool {
		return bytes.Equal(s.Key, sig.PublicKey.Marshal()) && !p.At.Before(s.From) && (s.Until.IsZero() || p.At.Before(s.Until))
	})
	switch {
	case p.Key != ssh.FingerprintSHA256(sig.PublicKey) || sig.Namespace != Namespace:
		return "", ErrSignature
	case i < 0:
		return "", ErrUntrusted
	case strings.HasPrefix(sig.PublicKey.Type(), "sk-") && (len(sig.Signature.Rest) == 0 || sig.Signature.Rest[0]&userPresent == 0):
		return "", ErrUntouched
	case sshsig.Verify(bytes.NewReader(sum), sig, sig.PublicKey, sig.HashAlgorithm, Namespace) != nil:
		return "", ErrMismatch // the signature is by the key it names, over something else
	}
	return k.Signers[i].Principals, nil
}

// Signer is a line of an allowed_signers file (ssh-keygen(1), ALLOWED SIGNERS).
type Signer struct {
	Principals string    `json:"principals"`
	Key        []byte    `json:"key"` // in SSH's wire format
	From       time.Time `json:"from,omitzero"`
	Until      time.Time `json:"until,omitzero"`
}

// ParseSigners reads an allowed_signers file. Certificate authorities are refused: a key
// that one signs is trusted only by ssh-keygen itself.
func ParseSigners(data []byte) (signers []Signer, err error) {
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, ours, bad := parseSigner(line)
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("line %d: %w", n+1, bad))
		} else if ours {
			signers = append(signers, s)
		}
	}
	return signers, err
}

// parseSigner reads a line; ours is false where its namespaces leave us out.
func parseSigner(line string) (s Signer, ours bool, err error) {
	var rest string
	if strings.HasPrefix(line, `"`) {
		s.Principals, rest, _ = strings.Cut(line[1:], `"`)
	} else {
		s.Principals, rest, _ = strings.Cut(line, " ")
	}
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(strings.TrimSpace(rest)))
	if err != nil {
		return s, false, err
	}
	s.Key, ours = key.Marshal(), true
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		var bad error
		switch strings.ToLower(name) {
		case "namespaces":
			ours = slices.Contains(strings.Split(value, ","), Namespace)
		case "valid-after":
			s.From, bad = parseSSHTime(value)
		case "valid-before":
			s.Until, bad = parseSSHTime(value)
		default:
			bad = fmt.Errorf("the option %q is not supported", name)
		}
		err = errors.Join(err, bad)
	}
	return s, ours, err
}

// parseSSHTime reads YYYYMMDD[HHMM[SS]][Z], in local time without Z.
func parseSSHTime(s string) (time.Time, error) {
	zone := time.Local
	if digits, utc := strings.CutSuffix(strings.ToUpper(s), "Z"); utc {
		s, zone = digits, time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(s) == len(layout) {
			return time.ParseInLocation(layout, s, zone)
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, and Z for UTC", s)
}
