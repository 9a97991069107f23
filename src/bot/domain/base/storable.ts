/** Makes texts storable: Postgres takes no U+0000, in JSON neither that nor half a surrogate pair. */

const unit = '[0-9a-f]{2}'
/** An escape that may stand for what cannot be stored; nearly no text has one. */
const suspicious = /\\u(?:0000|d[89a-f])/i
/** Every escape: a pair of surrogates, what cannot be stored, or any other. */
const escapes = new RegExp(
  String.raw`\\(?:u(d[89ab]${unit})\\u(d[c-f]${unit})|(u0000|ud[89a-f]${unit})|[^])`,
  'gi',
)
const replacement = '\ufffd'

/** JSON in which what cannot be stored is U+FFFD, in names too. */
export function storableJson(json: string): string {
  if (!suspicious.test(json)) return json
  return json.replace(escapes, (found, _high, _low, bad: string | undefined) =>
    bad === undefined ? found : replacement,
  )
}

/** A value as storable JSON. */
export function jsonOf(value: unknown): string {
  return storableJson(JSON.stringify(value))
}

/** The text with U+FFFD for what cannot be stored. */
export function storable(text: string): string {
  const known = text.includes('\0') ? text.replaceAll('\0', replacement) : text
  return known.isWellFormed() ? known : known.toWellFormed()
}

/** Both databases keep and find a name of this length. */
const nameCharsMax = 500

/** A hostname, or the name of a plugin or a metric: a longer one is cut, wherever it is read. */
export function cutName(name: string): string {
  return name.length <= nameCharsMax ? name : name.slice(0, nameCharsMax).toWellFormed()
}
