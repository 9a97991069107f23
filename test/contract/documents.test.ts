/**
 * The documents stay true: every link, path, script and test that they name exists, and so does every document, section and
 * file that a comment names. Their tables have tests of their own.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commentsOf } from '../architecture/source-text.ts'

const root = join(import.meta.dirname, '../..')
const names = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: root })]
const documents = names.map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

/** As GitHub makes anchors of headings. */
function anchorsOf(text: string): string[] {
  return matches(text, /^#+ (.*)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe.each(documents)('$name', ({ name, text }) => {
  test('every link leads to a file of the project, and to a heading that it has', () => {
    const links = matches(text, /\]\((?!https?:)([^)]+)\)/g)
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? join(root, name) : join(root, dirname(name), path)
      if (!existsSync(target)) return true
      return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('every path of the project is there', () => {
    const paths = matches(text, /`((?:src|test|docs|scripts|bench)\/[^`\s]+)`/g)
    const isThere = (path: string) => globSync(path.replace(/#.*/, ''), { cwd: root }).length > 0
    expect(paths.filter((path) => !isThere(path))).toEqual([])
  })

  test('every npm script exists', () => {
    const named = matches(text, /npm run ([a-z:]+)/g)
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([])
  })
})

test('README leads to every document, and is read in a few minutes', () => {
  const { text } = documents[0] ?? { text: '' }
  const unlinked = names.slice(1).filter((name) => !text.includes(`(${name})`))
  expect(unlinked).toEqual([])
  expect(text.split('\n').length).toBeLessThanOrEqual(150)
})

test('everything in docs/what-if.md is tested by tests that exist, and has a section', () => {
  const text = documents.find(({ name }) => name === 'docs/what-if.md')?.text ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('| ['))
  expect(rows).toHaveLength(matches(text, /^## (.*)$/gm).length)
  for (const row of rows) {
    const proofs = matches(row.split('|').at(-2) ?? '', /`([^`]+)`/g)
    expect(proofs.length, row).toBeGreaterThan(0)
    for (const proof of proofs)
      expect(globSync(`test/${proof}.test.ts`, { cwd: root }), proof).not.toEqual([])
  }
})

test('every proof of docs/promises.md is a test or a script that exists', () => {
  const text = documents.find(({ name }) => name === 'docs/promises.md')?.text ?? ''
  const rows = matches(text, /^\| [^|]+ \| ([^|]*`[^|]+) \|/gm).flatMap((cell) => matches(cell, /`([^`]+)`/g))
  const tests = rows.filter((proof) => /^[a-z0-9]+\/[a-z0-9/.*-]+$/.test(proof))
  expect(tests.length).toBeGreaterThan(20)
  const missing = tests.filter((proof) => globSync(`test/${proof}{,.test.ts}`, { cwd: root }).length === 0)
  expect(missing).toEqual([])
})

test('each row of the principles says where, what may happen, and what is done', () => {
  const text = documents.find(({ name }) => name === 'docs/principles.md')?.text ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  expect(rows.length).toBeGreaterThan(10)
  for (const row of rows) expect(row.split('|')).toHaveLength(5)
})

const programs = globSync('{src,test,bench,scripts}/**/*.{ts,js}', { cwd: root })
const everything = new Set(globSync('{*,{src,test,bench,scripts,docs,deploy}/**/*}', { cwd: root }))
/** Endings of paths: a comment may name a file from its own program's folder on. */
const endings = new Set(
  [...everything].flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(at).join('/'))),
)

/** What a comment names and is not there: documents and their sections (`docs/api.md#pages`), and files of code. */
function missingIn(comment: string): string[] {
  const words = comment.replace(/\bhttps?:\/\/\S+/g, '')
  const named = words.matchAll(
    /(?<![\w./-])((?:[\w-]+\/(?:[\w.-]+\/)*)?[\w.-]+\.(?:md|ts|js|css|html|svg|sql))\b(?!\.\w)(?:#([\w-]+))?/g,
  )
  return [...named].flatMap(([whole, path = '', section]) => {
    if (!endings.has(path)) return [whole]
    const isKnown =
      section === undefined || anchorsOf(readFileSync(join(root, path), 'utf8')).includes(section)
    return isKnown ? [] : [whole]
  })
}

test('every document, section and file that a comment names is there', () => {
  const missing = programs.flatMap((name) =>
    commentsOf(readFileSync(join(root, name), 'utf8')).flatMap((comment) =>
      missingIn(comment).map((what) => `${name}: ${what}`),
    ),
  )
  expect(missing).toEqual([])
})

test('the check sees a document, a section and a file that are not there', () => {
  const comments = commentsOf(`
    /** As docs/api.md#pages and \`docs/nowhere.md\` say. */
    // See docs/api.md#nowhere, and store/nowhere.ts.
    const text = 'https://slack.com // docs/not-a-comment.md'
  `)
  expect(comments.flatMap(missingIn)).toEqual(['docs/nowhere.md', 'docs/api.md#nowhere', 'store/nowhere.ts'])
})
