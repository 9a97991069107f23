/** User and password of an address, taken out of it: they are sent, and never shown. */

/** `authorization` is the whole header, a secret; null where the address names nobody. */
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
    // A percent sign that is meant as one.
    return text
  }
}
