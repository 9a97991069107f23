/** Reading TypeScript as text: the architecture test sees code, and is not misled by words in strings and comments. */
import { expect, test } from 'vitest'
import { codeOf, importsOf } from './source-text.ts'

test.each([
  ["const a = 'catch' // catch", "const a = '     '         "],
  ['/* catch */ b', '            b'],
  ['/* catch */\n/** catch\n */b', '           \n         \n   b'],
  ["'it\\'s catch' + b", "'           ' + b"],
  ["'\\\\' + catch_", "'  ' + catch_"],
  [`\`catch \${a + \`catch \${b}\` + c} catch\``, `\`      \${a + \`      \${b}\` + c}      \``],
  [`\`\${{ a: 1 }} catch\` + d`, `\`\${{ a: 1 }}      \` + d`],
  ['x = /[/\'"]catch/g + y', 'x = /          /g + y'],
  ['x = a / b / c', 'x = a / b / c'],
  ['"http://a" + b', '"        " + b'],
])('%s', (source, code) => {
  expect(codeOf(source)).toBe(code)
})

test('every form of import is found', () => {
  const source = [
    "import a, { type B } from './1.ts'",
    'import * as c from "./2.ts"',
    "import type {\n  D,\n} from './3.ts'",
    "import './4.ts'",
    "export { e } from './5.ts'",
    "export * from './6.ts'",
    "export const f = await import('./7.ts')",
    "type G = import('./8.ts').G",
    'const h = from(`./no.ts`)',
    "// import './no.ts'",
    `const i = \`import './no.ts'\``,
  ].join('\n')
  expect(importsOf(source).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `./${n}.ts`))
})

test('a computed import is found as such', () => {
  expect(importsOf('await import(name)')).toEqual([null])
})
