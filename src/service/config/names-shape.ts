/** The settings of the part `prometheus` that say what a server is: `server`, `reporters`, `cluster`. */
import { z } from 'zod'
import type { NamesSettings } from '../prometheus/settings.ts'
import { parseTemplate } from '../prometheus/templates.ts'
import { listOf, textOf } from './shapes.ts'

const templatesMax = 50
const listsMax = 100
const globCharsMax = 200

const templateExpected = 'a template of at most 200 characters with labels in it, such as {namespace}/{pod}'
const template = textOf(200, templateExpected).refine(
  (text) => parseTemplate(text) !== null && !/\p{Cc}/u.test(text),
  { error: templateExpected },
)
const templates = listOf(template, templatesMax, 'templates').min(1, { error: 'a list of templates' })

/** One list for all jobs, or a mapping of job globs to lists, the first of which that matches counts. */
const server = z
  .union([
    templates.transform((all) => [{ jobs: '*', templates: all }]),
    z
      .record(textOf(globCharsMax), templates)
      .refine((all) => Object.keys(all).length <= listsMax, { error: `at most ${listsMax} jobs` })
      .transform((all) => Object.entries(all).map(([jobs, own]) => ({ jobs, templates: own }))),
  ])
  .optional()

export const namesShape = {
  server,
  reporters: listOf(textOf(globCharsMax), listsMax, 'globs on jobs').optional(),
  cluster: textOf(globCharsMax).optional(),
}

/** `isByLabel`: whether the file names `server_label` or `serviceless`. */
export function namesOf(
  given: Pick<z.output<z.ZodObject<typeof namesShape>>, 'server' | 'reporters'>,
  isByLabel: boolean,
): NamesSettings {
  return { server: given.server ?? null, reporters: given.reporters ?? null, isByLabel }
}
