/** TypeScript as text: what is left of a file without its comments and strings, the comments alone, and what it imports. */

/**
 * The source with the contents of comments, strings, templates and regular expressions blanked out, at the same length
 * and with the same lines; quotes stay, and so does the code inside `${…}`.
 */
export function codeOf(source: string): string {
  return split(source).code
}

/** The text of each comment, without the marks around it and at the start of its lines. */
export function commentsOf(source: string): string[] {
  return split(source).comments.map((comment) =>
    comment.replace(/^\/[/*]+|\*\/$/g, '').replace(/\n\s*\*?/g, '\n'),
  )
}

function split(source: string): { readonly code: string; readonly comments: readonly string[] } {
  const comments: string[] = []
  const out = source.split('')
  // Each entry is a template that we are inside of, with the braces that are open in its current `${…}`.
  const templates: number[] = []
  let at = 0
  const blankTo = (end: number) => {
    for (; at < end && at < out.length; at++) if (out[at] !== '\n') out[at] = ' '
  }
  while (at < source.length) {
    const char = source[at] ?? ''
    const open = templates.at(-1)
    if (source.startsWith('//', at) || source.startsWith('/*', at)) {
      const end =
        source[at + 1] === '/' ? indexOr(source, '\n', at) : indexOr(source, '*/', at + 2) + '*/'.length
      comments.push(source.slice(at, end))
      blankTo(end)
    } else if (char === "'" || char === '"') {
      at++
      blankTo(endOf(source, at, (i) => source[i] === char || source[i] === '\n'))
      at++
    } else if (char === '`' || (char === '}' && open === 0)) {
      if (char === '}') templates.pop()
      at++
      blankTo(endOf(source, at, (i) => source[i] === '`' || source.startsWith('${', i)))
      if (source[at] === '$') templates.push(0)
      at += source[at] === '$' ? 2 : 1
    } else if (char === '/' && startsRegex(out.slice(Math.max(0, at - 40), at).join(''))) {
      let isInClass = false
      at++
      blankTo(
        endOf(source, at, (i) => {
          if (source[i] === '[') isInClass = true
          if (source[i] === ']') isInClass = false
          return source[i] === '\n' || (source[i] === '/' && !isInClass)
        }),
      )
      at++
    } else {
      if (open !== undefined && char === '{') templates[templates.length - 1] = open + 1
      if (open !== undefined && char === '}') templates[templates.length - 1] = open - 1
      at++
    }
  }
  return { code: out.join(''), comments }
}

function indexOr(source: string, text: string, from: number): number {
  const index = source.indexOf(text, from)
  return index === -1 ? source.length : index
}

/** The first place from here on that is an end and is not escaped. */
function endOf(source: string, from: number, isEnd: (index: number) => boolean): number {
  let i = from
  while (i < source.length && !isEnd(i)) i += source[i] === '\\' ? 2 : 1
  return i
}

/** A slash after a value divides; after an operator, an opening bracket or a keyword it begins an expression. */
function startsRegex(before: string): boolean {
  const text = before.trimEnd()
  return (
    text === '' || /[(,=:[!&|?{};+\-*%<>~^]$/.test(text) || /\b(?:return|typeof|case|of|in|await)$/.test(text)
  )
}

const importForms = [
  /\b(?:import|export)\b[^'"`;()=]*?\bfrom\s*(?=['"])/g,
  /\bimport\s*(?=['"])/g,
  /\bimport\s*\(\s*/g,
]

/** Every specifier that a file imports, re-exports or imports dynamically; null for a computed one. */
export function importsOf(source: string): (string | null)[] {
  const code = codeOf(source)
  return importForms.flatMap((form) =>
    [...code.matchAll(form)].map(({ index, 0: text }) => {
      const quote = index + text.length
      const mark = source[quote]
      if (mark !== "'" && mark !== '"') return null
      return source.slice(quote + 1, source.indexOf(mark, quote + 1))
    }),
  )
}
