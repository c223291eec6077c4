//! The page. All of it is in the library; natively this program has nothing to do.

fn main() {
    twiceproof_web::start();
}
