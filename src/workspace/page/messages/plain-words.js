/**
 * The first words of a message without its markup, to be spoken.
 *
 * @import { Message } from '../shell/wire-shapes.js'
 */

const spokenMax = 200

/** @type {(message: Message) => string} */
export function plainWords({ text = '', notice }) {
  const plain = (notice ?? text)
    .replace(/<[^<>|]*\|([^<>]*)>/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/[*_~`]|:[a-z0-9_+-]+:/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim()
  return plain.length > spokenMax ? `${plain.slice(0, spokenMax)}…` : plain
}
