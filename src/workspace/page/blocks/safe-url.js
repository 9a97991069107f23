/** Which addresses of a message may become links and pictures. */

/** The address if it is one that a person may follow (http, https, mailto), else undefined.  @type {(url: string) => string | undefined} */
export function linkUrl(url) {
  const parsed = URL.parse(url)
  return parsed !== null && ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? parsed.href : undefined
}

/**
 * A file of this workspace, whatever name the page was opened under (localhost or 127.0.0.1): its path here.
 *
 * @type {(url: string) => string | undefined}
 */
export function fileUrl(url) {
  const parsed = URL.parse(url, document.baseURI)
  return parsed?.pathname.startsWith('/files/') ? location.origin + parsed.pathname : undefined
}
