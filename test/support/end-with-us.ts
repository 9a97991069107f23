/** Ends what a test has started together with the process that started it, even if that is killed and can end nothing itself. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** Its input is ours: a line says that there is nothing to end any more, and without one it closes the moment that we are gone. */
const guard = `trap '' HUP INT TERM
read -r over && exit
kill -"$2" "$1"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do kill -0 "$1" || break; sleep 0.1; done
if [ -n "$3" ]; then rm -rf "$3"; fi`

type How = {
  readonly signal?: 'SIGKILL' | 'SIGQUIT'
  /** It goes too. */
  readonly folder?: string
}

/** An `exit` handler would not do: Vitest ends its workers by a signal, and with a signal nothing of ours runs. */
export function endWithUs(child: ChildProcess, { signal = 'SIGKILL', folder = '' }: How = {}): void {
  if (child.pid === undefined) return
  const sh = spawn('sh', ['-c', guard, 'guard', String(child.pid), signal.slice('SIG'.length), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // What is sent to our group is not meant for it.
    detached: true,
  })
  const input = sh.stdin as Socket
  // Neither may it keep us from ending, nor its own end trouble us.
  sh.unref()
  input.unref()
  sh.on('error', () => undefined)
  input.on('error', () => undefined)
  child.once('exit', () => void input.end('over\n'))
}
