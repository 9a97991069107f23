/** A disk of its own for a Postgres, which can be full. Only root can have one, on Linux. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Disk = { readonly folder: string; fill(): void; free(): void; close(): void }

const mib = 1024 * 1024
const sizeMib = 600

/** Null where this machine gives none. */
export function openDisk(): Disk | null {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-disk-'))
  const drop = () => {
    try {
      execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
    } catch {
      // It was never there.
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'none', folder], { stdio: 'ignore' })
  } catch {
    drop()
    return null
  }
  chmodSync(folder, 0o755)
  process.once('exit', drop)
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: () => {
      for (let sizeOf = 64 * mib; sizeOf >= 4_096; ) {
        const { bavail, bsize } = statfsSync(folder)
        if (bavail * bsize < sizeOf) sizeOf /= 2
        else {
          try {
            writeFileSync(ballast, Buffer.alloc(sizeOf), { flag: 'a' })
          } catch {
            sizeOf /= 2
          }
        }
      }
    },
    free: () => rmSync(ballast, { force: true }),
    close: () => {
      process.off('exit', drop)
      drop()
    },
  }
}
