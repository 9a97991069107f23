/** Whether the bot stayed as large as it was: the slope of what it holds, once the memory has come to its limits. */
import type { Sample, WeekReport } from './run.ts'

const megabyte = 1_000_000
const hoursADay = 24
/** Records are kept for twice as long as alerts; from then on as much is forgotten as comes. */
const fullAfter = 2
/** The town is not the same every day: so much more a day, of what there was at the beginning, is still flat. */
const flatShareADay = 0.02
/** Samples of fewer hours than these have no slope worth the name. */
const samplesMin = 24

export type Verdict = { readonly isKept: boolean; readonly sentences: readonly string[] }

export function verdictOf({ samples, breaches }: WeekReport, keptHours: number): Verdict {
  const full = samples.filter(({ hour }) => hour > fullAfter * keptHours)
  if (breaches.length > 0) {
    return {
      isKept: false,
      sentences: [`${breaches.length} promises were broken:`, ...breaches.slice(0, 20)],
    }
  }
  if (full.length < samplesMin) {
    return {
      isKept: true,
      sentences: ['Every promise was kept; the run was too short to tell whether it grows.'],
    }
  }
  const slopes = [
    slopeOf('heap', full, ({ heapBytes }) => heapBytes),
    slopeOf('file', full, ({ fileBytes, freeBytes }) => fileBytes - freeBytes),
  ]
  const isFlat = slopes.every(({ share }) => share <= flatShareADay)
  const bound = `${flatShareADay * 100} % a day`
  return {
    isKept: isFlat,
    sentences: [
      ...slopes.map(({ words }) => words),
      isFlat
        ? `Every promise was kept, and nothing grew by more than ${bound}.`
        : `It grows by more than ${bound}.`,
    ],
  }
}

function slopeOf(name: string, samples: readonly Sample[], of: (sample: Sample) => number) {
  const days = samples.map(({ hour }) => hour / hoursADay)
  const sizes = samples.map(of)
  const [day, size] = [mean(days), mean(sizes)]
  const products = days.map((one, at) => (one - day) * ((sizes[at] ?? size) - size))
  const squares = days.map((one) => (one - day) ** 2)
  const bytesADay = sum(products) / sum(squares)
  const share = bytesADay / size
  const words = `${name}: ${(size / megabyte).toFixed(1)} MB as a mean, ${(bytesADay / megabyte).toFixed(3)} MB (${(share * 100).toFixed(2)} %) more a day`
  return { share, words }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function mean(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length
}
