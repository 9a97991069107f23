/** Builds the pieces of SVG that charts consist of; all text in them is escaped. */
import { fontFamily } from '../../shared/painter.ts'

/**
 * The colors of charts. A dark background suits Slack's light and dark mode. Text has a contrast of at least 4.5 to the
 * background, which also surrounds text on top of something; shades have 3 to the background, and lines 3 to the shades (a test
 * measures it).
 */
export const colors = {
  background: '#1c2430',
  text: '#f5f7fa',
  faint: '#c3ccd8',
  grid: '#35404f',
  line: '#b5d8ff',
  band: '#4371a3',
  limit: '#ffc4ba',
  open: '#a0586a',
  mute: '#66707f',
  mark: '#e3cfff',
} as const

/** Pixels per unit of the drawing: sharp on a phone, which has three of them, and enlarged on a desktop. */
export const scale = 3

/** A chart's width. A phone shows it 330 pixels wide, and its smallest text 12 pixels high. */
export const pictureWidth = 400
export const labelSize = 15
export const titleSize = 17

/** The plot area. */
export type Plot = {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Characters without a glyph in Inter (emoji, CJK) would be drawn as boxes, and control characters are invalid in XML. */
const withoutGlyph =
  /[^\u0020-\u007e\u00a0-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2193\u2200-\u22ff]+/gu

/** One line of at most `charsMax` characters, escaped for XML. */
export function words(text: string, charsMax: number): string {
  const chars = [...text.replace(withoutGlyph, ' ').replace(/\s+/g, ' ').trim()]
  const cut = chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join('')}…` : chars.join('')
  return cut.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}

type TextStyle = {
  readonly size: number
  readonly color: string
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly bold?: boolean
  readonly charsMax?: number
  /** Draws a halo around the text, so that it can be read on lines and shades. */
  readonly halo?: boolean
}

const charsMaxUsual = 80

const around = ` stroke="${colors.background}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`

export function text(x: number, y: number, said: string, style: TextStyle): string {
  const { size, color, anchor = 'start', bold = false, charsMax = charsMaxUsual, halo = false } = style
  const weight = `${bold ? ' font-weight="600"' : ''}${halo ? around : ''}`
  return `<text x="${fixed(x)}" y="${fixed(y)}" font-family="${fontFamily}" font-size="${size}"${weight} fill="${color}" text-anchor="${anchor}">${words(said, charsMax)}</text>`
}

export function rect(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(Math.max(0, width))}" height="${fixed(Math.max(0, height))}" fill="${fill}"/>`
}

export function rule(
  from: readonly [x: number, y: number],
  to: readonly [x: number, y: number],
  color: string,
  style = '',
): string {
  return `<line x1="${fixed(from[0])}" y1="${fixed(from[1])}" x2="${fixed(to[0])}" y2="${fixed(to[1])}" stroke="${color}" ${style}/>`
}

export function sheet(width: number, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="100%" height="100%" fill="${colors.background}"/>`,
    ...parts,
    '</svg>',
  ].join('\n')
}

function fixed(value: number): string {
  return value.toFixed(1)
}

/** Approximate width of a text: accurate enough to keep labels apart. */
export function widthOf(said: string, size: number): number {
  return [...said].length * size * 0.58
}
