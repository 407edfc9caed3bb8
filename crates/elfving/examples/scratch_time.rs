//! scratch
use elfving::linalg::*;
use std::time::Instant;
fn best(name:&str, n: usize, mut f: impl FnMut()) { let mut b=f64::INFINITY; for _ in 0..n { let t=Instant::now(); for _ in 0..20 { f(); } b=b.min(t.elapsed().as_secs_f64()/20.0);} println!("{name} {:.1} us", b*1e6); }
fn main() {
    let x = Matrix::from_fn(1275, 50, |i,j| ((i*31+j*17)%101) as f64/50.0-1.0);
    let z = gram(&x); let b = Matrix::from_fn(50,50,|i,j| z[(i,j)]/1000.0 + f64::from(i==j));
    let xt=x.transposed(); let mut out = vec![0.0;1275]; let mut out2=out.clone();
    best("forms", 50, || quadratic_forms(&xt,&b,&mut out,&mut out2));
    let mut o2=0.0;
    best("multiply", 50, || {o2+=multiply(&x,&b)[(3,4)];});
    best("clone", 50, || {let c=b.clone(); o2+=c[(1,1)];});
    best("cholesky", 50, || {o2+=Cholesky::new(b.clone()).unwrap().log_det();});
    let c=Cholesky::new(b.clone()).unwrap();
    best("inverse_lower", 50, || {o2+=c.inverse_lower()[(3,3)];});
    let l=c.inverse_lower();
    best("gram", 50, || {o2+=gram(&l)[(3,3)];});
    best("eigen", 50, || {o2+=SymmetricEigen::new(&b).unwrap().values[0];});
    let v=vec![0.3;50];
    best("apply", 50, || {o2+=apply(&x,&v)[0];});
    let t=Matrix::from_fn(50,8,|i,j| (i+j) as f64);
    best("thin8", 50, || {o2+=multiply(&x,&t)[(0,0)];});
    println!("{o2}");
}
