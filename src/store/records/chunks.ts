/** Splits long lists into pieces that fit one statement each. */

/** SQLite takes 32,766 parameters in a statement; far fewer keep each statement short. */
const parametersMax = 500

export function chunks<Item>(items: readonly Item[], size = parametersMax): Item[][] {
  const pieces: Item[][] = []
  for (let from = 0; from < items.length; from += size) pieces.push(items.slice(from, from + size))
  return pieces
}
