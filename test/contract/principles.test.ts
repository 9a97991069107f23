/** The page of the two principles names places in the code; each of them is there, and the README leads to the page. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/principles.md'), 'utf8')
const paths = [...page.matchAll(/`((?:src|test|docs|scripts|bench)\/[^`]+)`/g)].map(([, path = '']) => path)

test('every place that the page names is there', () => {
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('each row of its tables says where, what may happen, and what is done', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('|'))
  for (const row of rows) expect(row.split('|')).toHaveLength(5)
})

test('the README leads to it', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('(docs/principles.md)')
})
