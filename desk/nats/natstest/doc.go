// Package natstest runs the nodes of a desk for tests: the stock nats-server, as
// processes, set up as "desk init" sets them up. The server comes from a module
// of its own, internal/natsserver, so that the program's knows nothing of it.
package natstest
