/** Certificates that openssl makes for a test, signed by a CA of its own. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './ledger-file.ts'

/** A folder with a CA (`ca.pem`), a server's certificate for `name` (`server.pem`, `server.key`), and a client's (`client.…`). */
export function certificates(name: string): string {
  const folder = newFolder()
  execFileSync('mkdir', ['-p', folder])
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  run('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test CA', '-days', '9')
  for (const [who, subject] of [
    ['server', name],
    ['client', 'monitor'],
  ]) {
    run('req', ...newKey, '-keyout', `${who}.key`, '-out', `${who}.csr`, '-subj', `/CN=${subject}`)
    writeFileSync(join(folder, 'names.cnf'), `subjectAltName=DNS:${subject}`)
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '9']
    run('x509', '-req', '-in', `${who}.csr`, ...signed, '-extfile', 'names.cnf', '-out', `${who}.pem`)
  }
  return folder
}
