/** The body of a request, up to a limit. */

/** `cut`: it was cut off before its end. */
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
    // Whatever cut it off, nobody is left to receive details.
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
