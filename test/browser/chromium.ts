/**
 * The browser of the tests, of `npm run screenshot` and of the page's bench: on Linux the Chromium that npm brings, with its
 * own fonts; elsewhere an installed Chrome. Nothing but loopback can be resolved in it.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { patienceMs } from '../support/patience.ts'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  // Processes of their own for these make each test a sixth longer.
  '--in-process-gpu',
  // In one process with everything else, a renderer of 3D would set a variable of the environment while others read it: now and
  // then that is the end of the browser at its start.
  '--disable-software-rasterizer',
  '--enable-features=NetworkServiceInProcess2',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  '--font-render-hinting=none',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** Throws where there is no browser to be had. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return chromium.launch({ channel: 'chrome', args: flags })
  }
  const { executablePath, fontsPath } = await unpacked()
  return chromium.launch({
    executablePath,
    args: flags,
    env: { ...process.env, FONTCONFIG_FILE: fontsPath },
  })
}

/**
 * Unpacks what npm brought, once per installed version. The package itself unpacks to a fixed place, where two that come at
 * the same time, or one that was stopped half-way, leave half a browser to the next; here it appears as a whole or not at all.
 */
async function unpacked(): Promise<{ executablePath: string; fontsPath: string }> {
  const root = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))))
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const cache = join(dirname(dirname(root)), '.cache')
  const folder = join(cache, `chromium-${version}`)
  const paths = { executablePath: join(folder, 'chromium'), fontsPath: join(folder, 'fonts.conf') }
  if (existsSync(folder)) return paths

  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(join(cache, 'unpacking-'))
  const unpack = "import('@sparticuz/chromium').then((module) => module.default.executablePath())"
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack], {
    cwd: root,
    env: { ...process.env, TMPDIR: fresh },
    timeout: patienceMs,
  })
  await writeFile(join(fresh, 'fonts.conf'), fontsConfig(join(folder, 'fonts')))
  try {
    await rename(fresh, folder)
  } catch (error) {
    // Someone else was first, which is just as good.
    await rm(fresh, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return paths
}

/** A machine without any font still shows text, and every Linux machine shows the same. */
function fontsConfig(folder: string): string {
  const prefer = (family: string): string =>
    `<match target="pattern"><test name="family"><string>${family}</string></test><edit name="family" mode="prepend" binding="strong"><string>Open Sans</string></edit></match>`
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  ${prefer('system-ui')}
  ${prefer('sans-serif')}
</fontconfig>
`
}
