//! Literate cases: one block of code and one table; everything else is prose.

use super::{Expectation, expectation};

/// The test and what is expected of it.
pub(super) fn parse(text: &str) -> Result<(String, Vec<Expectation>), String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    let mut prose = Vec::new();
    for line in text.lines() {
        match line.trim_end() {
            "```litmus" if !inside => {
                inside = true;
                blocks.push(String::new());
            }
            "```" if inside => inside = false,
            _ if inside => blocks.iter_mut().last().into_iter().for_each(|block| *block += &format!("{line}\n")),
            line => prose.push(line),
        }
    }
    if inside {
        return Err("the block of code does not end".into());
    }
    let Ok([test]) = <[String; 1]>::try_from(blocks) else {
        return Err("expected one block of code that begins with ```litmus".into());
    };
    if !prose.iter().any(|line| !line.is_empty() && !line.starts_with(['#', '|'])) {
        return Err("expected a sentence that says why".into());
    }
    let mut rows = prose.iter().filter_map(|line| line.strip_prefix('|')).map(|line| line.trim_end_matches('|'));
    let heads: Vec<&str> = rows.next().ok_or("expected a table")?.split('|').map(str::trim).collect();
    let rows = rows.filter(|line| !line.trim_start().starts_with(['-', ':']));
    let expectations = rows.map(|line| expectation(&heads, &line.split('|').collect::<Vec<_>>()));
    let expectations = expectations.collect::<Result<Vec<_>, _>>()?;
    if expectations.is_empty() || expectations.iter().any(|e| e.model.is_empty()) {
        return Err("expected a model in each line of the table".into());
    }
    Ok((test, expectations))
}

#[cfg(test)]
mod tests {
    use super::parse;

    const CASE: &str = "# Name\n\nBecause.\n\n```litmus\nX86 t\n{}\n```\n\n\
        | model | verdict | states | flags |\n|---|---|---|---|\n| tso | yes | 3 | |\n| sc | no | | b, a |\n";

    #[test]
    fn a_case_is_read() {
        let (test, rows) = parse(CASE).expect("a correct case");
        assert_eq!(test, "X86 t\n{}\n");
        assert_eq!((rows[0].model.as_str(), rows[0].verdict.as_str(), rows[0].states), ("tso", "yes", Some(3)));
        assert_eq!((rows[0].flags.as_ref(), rows[1].states), (None, None));
        assert_eq!(rows[1].flags, Some(vec!["a".to_owned(), "b".to_owned()]));
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = |from: &str, to: &str| parse(&CASE.replace(from, to)).expect_err("a wrong case");
        assert!(wrong("| no |", "| maybe |").contains("maybe"));
        assert!(wrong("Because.", "").contains("why"));
        assert!(wrong("```litmus", "```").contains("one block"));
        assert!(wrong("| tso |", "| |").contains("model"));
        assert!(wrong("| 3 |", "| few |").contains("few"));
    }
}
