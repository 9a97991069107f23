/** Prints manifest.yml as the JSON that the Slack CLI asks for (`.slack/hooks.json`). */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

process.stdout.write(`${JSON.stringify(parse(readFileSync('manifest.yml', 'utf8')))}\n`)
