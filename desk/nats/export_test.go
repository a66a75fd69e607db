package nats

// Sweep is what a listing does with an outcome that was collected.
var Sweep = (*Store).sweepOne
