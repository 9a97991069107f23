/** The thread that reads one calendar: a rule that repeats by the second must not keep people waiting. */
import { parentPort, workerData } from 'node:worker_threads'
import { type CalendarAsked, shiftsOf } from './calendar.ts'

parentPort?.postMessage(shiftsOf(workerData as CalendarAsked))
