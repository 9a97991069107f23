/** The bot as few files: a start spends most of its time on finding a thousand modules, one by one. */
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const entry = (path: string) => fileURLToPath(new URL(`../src/bot/${path}`, import.meta.url))

/** Writes `main.js` and what belongs to it into the folder, and returns the paths of all modules in it. Native code, the renderer of the pictures and YAML stay in node_modules. */
export async function bundleBot(folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: {
      main: entry('main.ts'),
      'draw-thread': entry('charts/draw-thread.ts'),
    },
    platform: 'node',
    external: ['better-sqlite3', '@resvg/resvg-wasm'],
  })
  const { output } = await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: 'bot-[name].js',
    // The text of each module stays in memory. Names stay, for the traces in the log.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
  })
  await bundle.close()
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}
