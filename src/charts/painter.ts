/** SVG to PNG, with a font of our own: without one no text is drawn, and nothing says so. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

export const fontFamily = 'Inter'

/** Pixels for each unit of the drawing: Slack shows a picture at half its width on a sharp screen. */
const scale = 2

const fontFiles = [
  '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
]

export type Paint = (svg: string) => Uint8Array

let ready: Promise<Paint> | undefined

/** Loads the renderer and the fonts when the first picture is drawn, once a process: it can be started only once. */
export function loadPaint(): Promise<Paint> {
  ready ??= load()
  // What failed once (no memory, too many files open) may go well the next time.
  void ready.then(undefined, () => {
    ready = undefined
  })
  return ready
}

async function load(): Promise<Paint> {
  const { resolve } = createRequire(import.meta.url)
  const [wasm, ...fonts] = await Promise.all(
    ['@resvg/resvg-wasm/index_bg.wasm', ...fontFiles].map((file) => readFile(resolve(file))),
  )
  if (wasm === undefined) throw new Error('the renderer was not read')
  await initWasm(new Uint8Array(wasm))
  const fontBuffers = fonts.map((font) => new Uint8Array(font))
  return (svg) => {
    const font = { fontBuffers, defaultFontFamily: fontFamily }
    const picture = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: scale } })
    try {
      const image = picture.render()
      try {
        return image.asPng()
      } finally {
        // Neither is freed by the garbage collector: the memory is the renderer's own.
        image.free()
      }
    } finally {
      picture.free()
    }
  }
}
