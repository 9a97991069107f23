/** The documents stay true: every link, path and script that they name exists. Their tables have tests of their own. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

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
    const isThere = (path: string) =>
      globSync(`${path.replace(/#.*/, '')}{,.test.ts}`, { cwd: root }).length > 0
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
