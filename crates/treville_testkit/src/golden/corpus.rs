//! Suites of tests with a table for each model beside them.

use super::{Case, Expectation, expectation, files, name, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) fn load(cases: &Path) -> Result<Vec<Case>, Vec<String>> {
    let corpus = cases.join("corpus");
    let mut expected: BTreeMap<PathBuf, Vec<Expectation>> = BTreeMap::new();
    let mut errors = Vec::new();
    for table in files(&corpus, "tsv") {
        match rows(&table) {
            Ok(rows) => rows.into_iter().for_each(|(file, row)| expected.entry(file).or_default().push(row)),
            Err(why) => errors.push(format!("{}: {why}", table.display())),
        }
    }
    let mut loaded = Vec::new();
    for path in files(&corpus, "litmus") {
        match (read(&path), expected.remove(&path)) {
            (Ok(text), Some(expectations)) => {
                loaded.push(Case { name: name(cases, &path), text, expectations, fixme: false });
            }
            (Ok(_), None) => errors.push(format!("{}: no table mentions it", path.display())),
            (Err(why), _) => errors.push(format!("{}: {why}", path.display())),
        }
    }
    errors.extend(expected.keys().map(|path| format!("{}: no such test", path.display())));
    if errors.is_empty() { Ok(loaded) } else { Err(errors) }
}

/// The lines of a table, which is named after its model.
fn rows(table: &Path) -> Result<Vec<(PathBuf, Expectation)>, String> {
    let text = read(table)?;
    let model = table.file_stem().unwrap_or_default().to_string_lossy();
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let heads: Vec<&str> = lines.next().ok_or("the table is empty")?.split('\t').collect();
    let at = heads.iter().position(|head| *head == "file").ok_or("no column is called file")?;
    let mut rows = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let row = expectation(&heads, &cells).map_err(|why| format!("{line}: {why}"))?;
        let file = table.with_file_name(cells.get(at).copied().unwrap_or_default());
        rows.push((file, Expectation { model: model.to_string(), ..row }));
    }
    Ok(rows)
}
