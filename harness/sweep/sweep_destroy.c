/* Freeing a sweep, also one that was left half read. */
#include <stdlib.h>

#include "harness/sweep/sweep_reader.h"

static void free_texts(char **texts, size_t count)
{
  for (size_t i = 0; i < count; ++i) free(texts[i]);
  free(texts);
}

static void clear_settings(sb_settings *settings)
{
  free(settings->name);
  free(settings->ids);
  free(settings->where);
  free_texts(settings->values, settings->count);
}

static void clear_block(sb_block *block)
{
  for (size_t i = 0; i < block->count; ++i) {
    free(block->axes[i].name);
    free(block->axes[i].where);
    free_texts(block->axes[i].values, block->axes[i].count);
  }
  free(block->axes);
  clear_settings(&block->defaults);
}

static void clear_column(sb_table_column *column)
{
  free(column->label);
  free(column->unit);
  free(column->format);
}

static void clear_table(sb_table_spec *table)
{
  free(table->id);
  free(table->title);
  free(table->note);
  free(table->column_axis);
  free_texts(table->rows, table->row_axes);
  clear_column(&table->cell);
  for (size_t i = 0; i < table->column_count; ++i) clear_column(&table->columns[i]);
  free(table->columns);
}

static void clear_animation(sb_animation_spec *animation)
{
  free(animation->id);
  free(animation->title);
}

static void clear_claim(sb_claim *claim)
{
  free(claim->claim);
  free(claim->finding);
  free(claim->contradicted);
}

static void clear_cases(sb_sweep *sweep)
{
  clear_settings(&sweep->defaults);
  for (size_t i = 0; i < sweep->method_count; ++i) clear_settings(&sweep->methods[i]);
  for (size_t i = 0; i < sweep->block_count; ++i) clear_block(&sweep->blocks[i]);
  for (size_t i = 0; i < sweep->exclusion_count; ++i) free(sweep->exclusions[i].because);
  free(sweep->methods);
  free(sweep->methods_by_name);
  free(sweep->blocks);
  free(sweep->exclusions);
}

static void clear_reports(sb_sweep *sweep)
{
  for (size_t i = 0; i < sweep->table_count; ++i) clear_table(&sweep->tables[i]);
  for (size_t i = 0; i < sweep->claim_count; ++i) clear_claim(&sweep->claims[i]);
  for (size_t i = 0; i < sweep->animation_count; ++i) clear_animation(&sweep->animations[i]);
  free(sweep->tables);
  free(sweep->animations);
  free(sweep->claims);
}

void sb_sweep_destroy(sb_sweep **sweep)
{
  sb_sweep *s = *sweep;
  if (!s) return;
  clear_cases(s);
  clear_reports(s);
  free(s->path);
  free(s->text);
  free(s->name);
  free(s->topic);
  free(s->question);
  free(s->source);
  free(s->driver);
  for (size_t i = 0; i < s->wording_count; ++i) {
    free(s->wordings[i].name);
    free(s->wordings[i].words);
  }
  free(s->wordings);
  sb_arena_destroy(&s->arena);
  free(s);
  *sweep = NULL;
}
