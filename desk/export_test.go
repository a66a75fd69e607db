package desk

// MinHistory is minHistory for tests.
const MinHistory = minHistory
