/** The documents stay true: every link, path and script that they name exists. Their tables have tests of their own. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const guides = globSync('docs/*.md', { cwd: root })
const names = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...guides]
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

function isBroken(folder: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = join(folder, path)
  if (!existsSync(target)) return true
  return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
}

describe.each(documents)('$name', ({ name, text }) => {
  test('every link leads to a file of the project, and to a heading that it has', () => {
    const links = matches(text, /\]\((?!https?:)([^)]+)\)/g).map((link) =>
      link.startsWith('#') ? `${basename(name)}${link}` : link,
    )
    expect(links.filter((link) => isBroken(join(root, dirname(name)), link))).toEqual([])
  })

  test('every path of the project is there', () => {
    const paths = matches(text, /`((?:src|test|docs|scripts|bench)\/[^`\s]+)`/g)
    const isThere = (path: string) =>
      globSync(`${path.replace(/#.*/, '')}{,.test.ts}`, { cwd: root }).length > 0
    expect(paths.filter((path) => !isThere(path))).toEqual([])
  })

  test('every npm script exists', () => {
    const named = matches(text, /npm run ([a-z:]+)/g)
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([])
  })
})

test('README leads to every document', () => {
  const { text } = documents[0] ?? { text: '' }
  expect(guides.filter((name) => !text.includes(`(${name})`))).toEqual([])
})

test('every section that a comment in the code names is there', () => {
  const code = globSync('{src,scripts,bench}/**/*.{ts,js}', { cwd: root })
  const named = code.flatMap((path) =>
    matches(readFileSync(join(root, path), 'utf8'), /(docs\/[\w-]+\.md(?:#[\w-]+)?)/g),
  )
  expect(named.length).toBeGreaterThan(50)
  expect([...new Set(named)].filter((link) => isBroken(root, link))).toEqual([])
})
