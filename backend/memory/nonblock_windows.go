package memory

// nonBlocking has no meaning here: folders hold no named pipes.
const nonBlocking = 0
