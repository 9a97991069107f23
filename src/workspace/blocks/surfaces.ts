// Which block may stand on which surface.

import { kinds, type Rule } from './rule.ts'
import { classicBlocks, inputBlock } from './schema-blocks.ts'
import { dataTableBlock, dataVisualizationBlock, tableBlock } from './schema-data-blocks.ts'
import {
  alertBlock,
  cardBlock,
  carouselBlock,
  containerBlock,
  contextActionsBlock,
  markdownBlock,
  planBlock,
  taskCardBlock,
} from './schema-new-blocks.ts'
import type { Surface } from './spot.ts'

const everywhere = { ...classicBlocks, card: cardBlock }
const messageAndHome = {
  carousel: carouselBlock,
  container: containerBlock,
  data_table: dataTableBlock,
  table: tableBlock,
}

/** One block, checked for the surface it stands on; elsewhere it is an `unsupported type`. */
export const blockOn: Readonly<Record<Surface, Rule>> = {
  message: kinds({
    ...everywhere,
    ...messageAndHome,
    context_actions: contextActionsBlock,
    data_visualization: dataVisualizationBlock,
    markdown: markdownBlock,
    plan: planBlock,
    task_card: taskCardBlock,
  }),
  modal: kinds({ ...everywhere, alert: alertBlock, input: inputBlock }),
  home: kinds({ ...everywhere, ...messageAndHome, input: inputBlock }),
}
