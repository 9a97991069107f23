/** The body of a request, never more of it than is allowed. */

/** `cut`: it ended before its end. */
export type Body = Uint8Array<ArrayBuffer> | 'too_large' | 'cut'

export async function readBody(request: Request, bytesMax: number): Promise<Body> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return 'too_large'
  if (request.body === null) return new Uint8Array()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of request.body) {
      size += part.byteLength
      if (size > bytesMax) return 'too_large'
      parts.push(part)
    }
  } catch {
    // Whatever cut it off, nobody is left to be told in detail.
    return 'cut'
  }
  const body = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    body.set(part, at)
    at += part.byteLength
  }
  return body
}
