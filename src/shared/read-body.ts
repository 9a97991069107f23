/** Reads the body of a request up to a limit. */

/** A body up to a limit. `cut`: it was cut off before its end. */
export type Body = Uint8Array<ArrayBuffer> | 'too_large' | 'cut'

/** Never throws. */
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
    // Whatever cut it off, nobody is left to hear the reason.
    return 'cut'
  }
  return Buffer.concat(parts)
}
