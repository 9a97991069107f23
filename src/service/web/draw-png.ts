/** SVG to PNG, with a bundled font: without one, text is silently left out. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

export const fontFamily = 'Inter'

const fontFiles = [
  '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
]

export type DrawPng = (svg: string) => Uint8Array

let ready: Promise<DrawPng> | undefined

/** Loads the renderer and the fonts once per process; the renderer can be initialised only once. */
export function loadPainter(): Promise<DrawPng> {
  ready ??= load()
  return ready
}

async function load(): Promise<DrawPng> {
  const { resolve } = createRequire(import.meta.url)
  const [wasm, ...fonts] = await Promise.all(
    [resolve('@resvg/resvg-wasm/index_bg.wasm'), ...fontFiles.map((file) => resolve(file))].map((file) =>
      readFile(file),
    ),
  )
  if (wasm === undefined) throw new Error('the renderer was not read')
  await initWasm(new Uint8Array(wasm))
  const fontBuffers = fonts.map((font) => new Uint8Array(font))
  return (svg) => {
    const picture = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: fontFamily } })
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
