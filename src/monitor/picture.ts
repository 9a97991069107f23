/** An image that an alert links to, fetched from the monitoring API's own origin and from nowhere else. */
import type { Dispatcher } from 'undici'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { Picture } from '../flow/ports/ports.ts'
import { kindOf } from './answer.ts'
import { exchange } from './exchange.ts'
import type { Limits } from './limits.ts'

/**
 * The address comes from the API's records and is not trusted: only http(s), only `origin` (scheme, host and port), no
 * credentials, no `secret` in it, no redirects. One attempt, for a picture is always optional. PNG, JPEG or GIF by the
 * first bytes, whatever the content type says. Throws only `OutsideFailure`, which never quotes the address.
 */
export async function fetchPicture(
  dispatcher: Dispatcher,
  url: string,
  { origin, secret, limits }: { readonly origin: string; readonly secret: string; readonly limits: Limits },
): Promise<Picture> {
  if (!URL.canParse(url)) {
    throw new OutsideFailure('rejected', 'the picture has no usable address: expected http:// or https://')
  }
  const target = new URL(url)
  if (!/^https?:$/.test(target.protocol)) {
    throw new OutsideFailure(
      'rejected',
      `a picture is fetched over http or https only; came ${target.protocol}`,
    )
  }
  if (target.origin !== origin || target.username !== '' || target.password !== '') {
    throw new OutsideFailure(
      'rejected',
      "a picture is fetched from the monitoring API's own origin only; came another",
    )
  }
  if (holdsSecret(url, secret)) {
    throw new OutsideFailure('rejected', 'the address of the picture holds the API key; it is not fetched')
  }
  const { status, body } = await exchange(
    dispatcher,
    { origin, path: target.pathname + target.search, method: 'GET', form: null },
    { attemptMs: limits.pictureMs, bodyBytesMax: limits.pictureBytesMax },
    'the picture server',
  )
  if (status < 200 || status > 299) {
    const why = status === 401 || status === 403 ? 'the picture needs a login' : 'no picture'
    throw new OutsideFailure(kindOf(status), `the picture server answered ${status}: ${why}`, { status })
  }
  const format = formatOf(body)
  if (format === null) {
    throw new OutsideFailure(
      'unreachable',
      'the picture server answered with something that is no PNG, JPEG or GIF',
      {
        status,
      },
    )
  }
  return { bytes: new Uint8Array(body), format }
}

/** Whether a link would show the secret anywhere, percent-encoded (even twice) or not. */
export function holdsSecret(url: string, secret: string): boolean {
  const readings = URL.canParse(url) ? [url, new URL(url).href] : [url]
  return readings
    .flatMap((reading) => [reading, unescaped(reading), unescaped(unescaped(reading))])
    .some((reading) => reading.includes(secret))
}

/** Only ASCII escapes: the key is ASCII, and broken UTF-8 must not throw. */
function unescaped(part: string): string {
  return part.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent)
}

function formatOf(bytes: Buffer): Picture['format'] | null {
  const recent = bytes.toString('latin1', 0, 8)
  if (recent === '\x89PNG\r\n\x1a\n') return 'png'
  if (recent.startsWith('\xff\xd8\xff')) return 'jpeg'
  return /^GIF8[79]a/.test(recent) ? 'gif' : null
}
