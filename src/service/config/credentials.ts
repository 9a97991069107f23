/** Removes user and password from an address: they are sent, but never shown. */

/** `authorization` is the whole header, a secret; null if the address has no user. */
export function withoutCredentials(given: URL): { readonly url: URL; readonly authorization: string | null } {
  const url = new URL(given)
  const { username, password } = url
  url.username = ''
  url.password = ''
  if (username === '' && password === '') return { url, authorization: null }
  const pair = `${decoded(username)}:${decoded(password)}`
  return { url, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A literal percent sign.
    return text
  }
}
