package term

import (
	"errors"
	"fmt"
	"os/signal"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// failure is a message that ends the screen. The model does not receive it.
type failure struct{ error }

// errQuit means that the model has ended by itself, or was killed.
var errQuit = errors.New("the model has ended")

// show runs the model. A panic of the model is an error.
func (s *Screen) show() (err error) {
	defer func() {
		fault := recover()
		if fault != nil {
			err = panicked(fault)
		}
	}()
	defer s.pause()
	err = s.resume()
	if err != nil {
		return err
	}
	uv.NotifyWinch(s.sizes)
	defer signal.Stop(s.sizes)
	notifyContinued(s.continued)
	defer signal.Stop(s.continued)
	s.run(s.options.Model.Init())
	for err == nil {
		err = s.handle(s.receive())
	}
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// resume takes the terminal.
func (s *Screen) resume() error {
	err := s.display.take()
	if err != nil {
		return err
	}
	s.stopKeys, err = s.readKeys()
	s.pending = append(s.pending, s.size())
	return err
}

// pause gives the terminal back. What was typed before is kept for the model. It may be repeated.
func (s *Screen) pause() {
	if s.stopKeys != nil {
		s.pending = append(s.pending, s.stopKeys()...)
		s.stopKeys = nil
	}
	s.display.release()
}

// lend gives the terminal back while f runs.
func (s *Screen) lend(f func()) error {
	s.pause()
	f()
	return s.resume()
}

// stopTime is how long the process may take to stop.
const stopTime = 500 * time.Millisecond

// suspend stops the process until its shell continues it. Where no shell has started it, the system
// does not stop it.
func suspend() {
	continued := make(chan struct{})
	go func() {
		defer close(continued)
		_ = uv.Suspend()
	}()
	select {
	case <-continued:
	case <-time.After(stopTime):
	}
}

// size returns the size of the terminal; nil if that is unknown.
func (s *Screen) size() tea.Msg {
	width, height, err := s.display.console.GetSize()
	if err != nil || width <= 0 || height <= 0 {
		return nil
	}
	return tea.WindowSizeMsg{Width: width, Height: height}
}

// receive returns the next message. Where it must wait for one, it draws before.
func (s *Screen) receive() tea.Msg {
	if len(s.pending) > 0 {
		msg := s.pending[0]
		s.pending = s.pending[1:]
		return msg
	}
	select {
	case msg := <-s.messages:
		return msg
	case <-s.killed:
		return tea.QuitMsg{}
	default:
	}
	s.display.draw(s.view)
	select {
	case msg := <-s.messages:
		return msg
	case <-s.sizes:
		return s.size()
	case <-s.continued:
		s.display.retake()
		return s.size()
	case <-s.killed:
		return tea.QuitMsg{}
	}
}

// handle handles a message. An error ends the screen.
func (s *Screen) handle(msg tea.Msg) error {
	msg = asMessage(msg)
	switch m := msg.(type) {
	case nil:
		return nil
	case tea.QuitMsg:
		return errQuit
	case failure:
		return m.error
	case tea.BatchMsg:
		for _, cmd := range m {
			s.run(cmd)
		}
		return nil
	case tea.SuspendMsg:
		back := s.options.Away()
		err := s.lend(suspend)
		return errors.Join(err, back())
	case Edit:
		var edited Edited
		err := s.lend(func() { edited.Err = s.edit(m.Entry) })
		if err != nil {
			return err
		}
		msg = edited
	case tea.RawMsg:
		s.display.sound(fmt.Sprint(m.Msg))
		return nil
	case tea.WindowSizeMsg:
		s.display.resize(m)
	}
	var cmd tea.Cmd
	s.options.Model, cmd = s.options.Model.Update(msg)
	s.run(cmd)
	s.view = s.options.Model.View()
	return nil
}

// run runs a command, whose message the model receives.
func (s *Screen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		defer func() {
			fault := recover()
			if fault != nil {
				s.Send(failure{panicked(fault)})
			}
		}()
		s.Send(cmd())
	}()
}

func panicked(fault any) error { return fmt.Errorf("panic: %v\n%s", fault, debug.Stack()) }
