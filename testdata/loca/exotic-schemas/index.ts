// Every tool gives back the arguments it was called with, so that a test sees what the host made of them.

export function planTrip(args: unknown): Promise<unknown> {
  return Promise.resolve(args);
}

export function tagNotes(args: unknown): Promise<unknown> {
  return Promise.resolve(args);
}

export function matchPatterns(args: unknown): Promise<unknown> {
  return Promise.resolve(args);
}
