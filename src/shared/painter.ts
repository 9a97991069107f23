/** Renders SVG to PNG with a bundled font: without one, text would be silently left out. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

export const fontFamily = 'Inter'

const fontFiles = [
  '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
]

/** `zoom`: pixels per unit of the drawing. */
export type Paint = (svg: string, zoom?: number) => Uint8Array

let ready: Promise<Paint> | undefined

/** Loads the renderer and the fonts with the first picture, once per process: it can be initialised only once. */
export function loadPaint(): Promise<Paint> {
  ready ??= load()
  // A failure (no memory, too many open files) may not happen the next time.
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
  return (svg, zoom = 1) => {
    const font = { fontBuffers, defaultFontFamily: fontFamily }
    const picture = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: zoom } })
    try {
      const image = picture.render()
      try {
        return image.asPng()
      } finally {
        // The garbage collector frees neither: the memory belongs to the renderer.
        image.free()
      }
    } finally {
      picture.free()
    }
  }
}
