/** What cannot be stored is replaced, and nothing else. */
import { expect, test } from 'vitest'
import { jsonOf, storable, storableJson } from '../../../src/bot/domain/base/storable.ts'

test.each([
  [String.raw`"a\u0000b"`, 'a\ufffdb'],
  [String.raw`"\ud83d\ude00"`, '😀'],
  [String.raw`"\uD83D\uDE00"`, '😀'],
  [String.raw`"\ud83d"`, '\ufffd'],
  [String.raw`"\ud83d\ud83d\ude00"`, '\ufffd😀'],
  [String.raw`"\ude00\ud83d"`, '\ufffd\ufffd'],
  [String.raw`"\ud83dx\ude00"`, '\ufffdx\ufffd'],
  [String.raw`"\\u0000"`, String.raw`\u0000`],
  [String.raw`"\\\u0000"`, '\\\ufffd'],
  [String.raw`"\\ud800 \n \u0041 \u0000"`, '\\ud800 \n A \ufffd'],
  [String.raw`"\u00000"`, '\ufffd0'],
])('JSON %s is read as %j', (json, text) => {
  expect(JSON.parse(storableJson(json))).toBe(text)
})

test('names in JSON are repaired too', () => {
  expect(JSON.parse(jsonOf({ 'a\0': ['\ud800'] }))).toEqual({ 'a\ufffd': ['\ufffd'] })
})

test.each([
  ['plain 🔥 \\u0000', 'plain 🔥 \\u0000'],
  ['\0\0', '\ufffd\ufffd'],
  ['\ud83d 🔥', '\ufffd 🔥'],
])('the text %j becomes %j', (text, kept) => {
  expect(storable(text)).toBe(kept)
})
