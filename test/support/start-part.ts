/** Starts a part of the bot as soon as it is made, for tests in which nothing else has to be there first. */
export function startPart<Part extends { start(): void }>(part: Part): Part {
  part.start()
  return part
}
