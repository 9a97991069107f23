/** Messages that bring a file. Its address stands in the text, which is what brings it (docs/slack.md#files). */
import type { KnownBlock } from '@slack/types'
import type { NoticeView } from '../../../domain/card/kinds.ts'
import type { AuditEntry, FileMade } from '../../../domain/request/audit.ts'
import { escapedWithin, link, webAddress } from '../../mrkdwn.ts'
import { renderReport, rowsWords } from '../replies/overviews.ts'
import { context, joinedWithin, type Rendered, section, spokenText } from '../text/message-parts.ts'
import { counted, idWords, name, person } from '../text/phrases.ts'

const whyLengthMax = 300
/** `chat.update` takes no longer text. */
const textCharsMax = 4_000

export function renderFile({ entry }: NoticeView<'file'>): Rendered {
  const { file } = entry.detail
  const what = entry.alertId === null ? 'these alerts' : idWords(entry.alertId)
  if (file === undefined) {
    const line = `⚠️ No timeline of ${what} for ${person(entry.userId)}: ${failureOf(entry)}`
    return { text: line, blocks: [section(line)] }
  }
  const lead = `📄 Timeline of ${what}, as ${person(entry.userId)} asked`
  const left = file.rows < file.total ? [`${file.rows} of ${counted(file.total, 'alert')}`] : []
  return withFile(file, lead, [section(`${lead}: ${linkTo(file)}`), ...left.map(context)])
}

/** The report with its file, or why it has none. */
export function renderReportNotice({ entry, health }: NoticeView<'report'>): Rendered {
  const { report, file } = entry.detail
  if (report === undefined || health === undefined) throw new Error('a report without its numbers')
  const blocks = renderReport({ report, health })
  const below =
    file === undefined
      ? context(`⚠️ No CSV: ${failureOf(entry)}`)
      : context(`CSV: ${linkTo(file)}, ${rowsWords(file)}`)
  return file === undefined
    ? { text: spokenText([...blocks, below]), blocks: [...blocks, below] }
    : withFile(file, spokenText(blocks), [...blocks, below])
}

/** Nothing of the address is cut off: without all of it there is no file. */
function withFile({ permalink }: FileMade, words: string, blocks: KnownBlock[]): Rendered {
  const address = webAddress(permalink)
  if (address === null) return { text: words, blocks }
  const said = joinedWithin(words.split('\n'), '\n', textCharsMax - address.length - 1)
  return { text: `${said}\n${address}`, blocks }
}

function linkTo({ name: called, permalink }: FileMade): string {
  return link(permalink, name(called))
}

function failureOf({ why }: AuditEntry): string {
  return escapedWithin(why ?? 'not known why', whyLengthMax)
}
